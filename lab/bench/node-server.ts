/**
 * Simulates a node that answers calls and batches immediately. Takes the network number, prints its port.
 */
import { startSimulatedNode } from './simulated-node.js'

const [chainId = ''] = process.argv.slice(2)
const { port } = await startSimulatedNode(chainId)
console.log(port)
process.on('SIGTERM', () => process.exit(0))
