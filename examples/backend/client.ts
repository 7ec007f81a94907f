import { WebSocket } from 'ws'
import { connect } from './generated/web-socket.js'

const client = await connect(process.env.RPC_URL ?? 'ws://localhost:8080', {
  // Only Node.js 20 needs this option.
  webSocket: (url) => new WebSocket(url),
})
const print = (line: string) => process.stdout.write(`${line}\n`)
const onGap = (gap: string) => print(`numbers may be missing: ${gap}`)
for await (const left of client.watchItems({ item: 'apple' }, { onGap })) {
  print(`${left} left`)
  if (left === 0) break
  await client.takeItems({ item: 'apple', count: 1 })
}
await client.close()
