/** A part of a URL with its percent-encoding undone; as it is where that is not UTF-8. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
