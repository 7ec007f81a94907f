/** A path, `/` between names, as it stands in a URL and in a link of Markdown. */
export function urlPath(path: string): string {
  return path
    .split('/')
    .map((name) => encodeURIComponent(name).replaceAll(/[!'()*]/g, encoded))
    .join('/')
}

/** What `encodeURIComponent` leaves as it is. */
function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
