export type Theme = 'light' | 'dark' | 'system';

const key = 'kintsugi.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

export function theme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setTheme(next: Theme) {
  if (next === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, next);
  apply();
}

function apply() {
  const chosen = theme();
  document.documentElement.dataset['theme'] = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen;
}

export function followTheme() {
  dark.addEventListener('change', apply);
  apply();
}
