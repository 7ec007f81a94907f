/** Returns true for the URL of a WebSocket. */
export function isWebSocketUrl(url: string | URL): boolean {
  return /^wss?:/i.test(String(url))
}
