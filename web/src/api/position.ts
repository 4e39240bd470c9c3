// The position of the newest write of this window: what is read after it has to show it.
let newest = '';

export const position = () => newest;
export const wrote = (at: string | null) => {
  newest = at ?? newest;
};
/** A server that was away may have another log. */
export const forget = () => {
  newest = '';
};
