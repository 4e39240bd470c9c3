// The last errors that this page met, for a report. They are kept in the window alone.
const most = 10;
const met: string[] = [];

export function noteProblem(text: string) {
  met.push(`${new Date().toISOString()} ${text.slice(0, 300)}`);
  if (met.length > most) met.shift();
}

export const problems = (): readonly string[] => met;

addEventListener('error', (event) => noteProblem(event.message));
addEventListener('unhandledrejection', (event) => noteProblem(String(event.reason)));
