/** Percent-decodes a part of a URL. Returns it unchanged if it is not UTF-8. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
