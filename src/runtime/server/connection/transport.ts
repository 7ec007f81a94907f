import { PeerClosedError } from '@concordat/rpc'

/** The way to the caller of a connection. */
export interface ConnectionTransport {
  /**
   * Sends one message.
   * @param done called when the operating system has accepted the message, or with an error after a disconnect
   */
  send(message: string | Uint8Array, done: (error?: Error | null) => void): void
  /** Called whenever a message is handled and the connection has room for further ones. */
  onRoom(): void
}

/**
 * Sends one message. Resolves when the operating system has accepted it, and rejects with
 * PeerClosedError after a disconnect.
 */
export function sent(transport: ConnectionTransport, message: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    transport.send(message, (error) => (error ? reject(new PeerClosedError()) : resolve()))
  })
}
