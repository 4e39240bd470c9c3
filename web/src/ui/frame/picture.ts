// A picture of the page, drawn by the browser from what it shows: nothing is fetched, and no other program is asked.

const most = 1400; // pixels in width, and twice that in height

/** The page as PNG in a data: address; undefined if this browser cannot draw it. */
export async function picture(of: HTMLElement = document.body): Promise<string | undefined> {
  const wide = document.documentElement.clientWidth;
  const high = Math.min(document.documentElement.clientHeight, most * 2);
  const copy = of.cloneNode(true) as HTMLElement;
  copy.querySelectorAll('script, iframe, input[type=password]').forEach((one) => one.remove());
  const styles = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join('\n');
  const page = document.implementation.createHTMLDocument('');
  const root = page.createElement('div');
  root.append(page.importNode(copy, true));
  for (const { name, value } of document.documentElement.attributes) if (name.startsWith('data-')) root.setAttribute(name, value);
  root.style.cssText = `width:${wide}px;height:${high}px;overflow:hidden;background:${getComputedStyle(document.documentElement).backgroundColor};font:${getComputedStyle(document.body).font};color:${getComputedStyle(document.body).color}`;
  (root.firstElementChild as HTMLElement).style.marginTop = `${-scrollY}px`;
  const sheet = page.createElement('style');
  // The root of this drawing is no html element: what is said of that one is said of it.
  sheet.textContent = styles.replaceAll(':root', '#drawn, :root').replace(/(^|[\s,}])html(?=[\s,{])/g, '$1#drawn');
  root.id = 'drawn';
  root.prepend(sheet);
  const markup = new XMLSerializer().serializeToString(root);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}"><foreignObject width="100%" height="100%">${markup}</foreignObject></svg>`;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const scale = Math.min(1, most / wide);
  canvas.width = wide * scale;
  canvas.height = high * scale;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  return canvas.toDataURL('image/png');
}
