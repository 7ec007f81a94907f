// Starts a development chain. The test kills this process and checks that anvil exits.
import { startEmbeddedChain } from '../../../../../src/service/gateway/dev-chain/embedded-chain.js'

const chain = await startEmbeddedChain({ chainId: '0x1f' })
process.stdout.write(`${JSON.stringify({ pid: chain.pid, url: chain.url })}\n`)
setInterval(() => {}, 60_000)
