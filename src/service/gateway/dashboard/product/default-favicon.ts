import { accentColours } from './accent-colours.js'

/** The sign of the service: a node on a line, in the accent colour. Served as favicon and beside the name. */
export function defaultFavicon(colour: string): string {
  const { accent, onAccent } = accentColours(colour, 'light')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${accent}"/><path d="M4 16h6m12 0h6" stroke="${onAccent}" stroke-width="3" stroke-linecap="round"/><circle cx="16" cy="16" r="5.5" fill="none" stroke="${onAccent}" stroke-width="3"/></svg>`
}
