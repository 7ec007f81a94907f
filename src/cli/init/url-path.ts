/** Encodes a path with `/` between names for a URL or a Markdown link. */
export function urlPath(path: string): string {
  return path
    .split('/')
    .map((name) => encodeURIComponent(name).replaceAll(/[!'()*]/g, encoded))
    .join('/')
}

/** Encodes a character that `encodeURIComponent` does not. */
function encoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
