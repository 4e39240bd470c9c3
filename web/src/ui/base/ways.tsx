import { type Params, type Path, Way } from '../../navigation';

/** The ways between pages that belong together. */
export function Ways({ label, ways, params = {} }: { label: string; ways: readonly { to: Path; word: string }[]; params?: Params }) {
  return (
    <nav aria-label={label} className="-mt-1 mb-4 flex flex-wrap gap-x-1 border-b border-line">
      {ways.map((way) => (
        <Way key={way.to} to={way.to} params={params} exact className="-mb-px border-b-2 border-transparent px-2 py-1.5 font-medium sm:px-3 sm:py-2 whitespace-nowrap text-soft hover:text-ink" marked="border-gold! text-ink!">
          {way.word}
        </Way>
      ))}
    </nav>
  );
}

export const told = [
  { to: '/notifications', word: 'Notices' },
  { to: '/inbox', word: 'Inbox of agents' },
  { to: '/drafts', word: 'Drafts' },
] as const;

export const looked = [
  { to: '/system', word: 'This server' },
  { to: '/events', word: 'Events' },
] as const;

export const agents = [
  { to: '/plans', word: 'Plans' },
  { to: '/healer', word: 'Healings' },
] as const;
