/**
 * Process that runs a flood. Its arguments are the name of the flood, the port, the local address and, optionally, the
 * number of connections. It prints its counts as a line of JSON ten times a second.
 */
import { type FloodName, startFlood } from './floods.js'

const [name, port, from = '', connections] = process.argv.slice(2)
const kind = name as FloodName
const options = { port: Number(port), from }
const counts = startFlood(
  kind,
  connections === undefined ? options : { ...options, connections: Number(connections) },
)
setInterval(() => console.log(JSON.stringify(counts)), 100)
