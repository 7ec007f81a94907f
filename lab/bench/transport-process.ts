/**
 * One server in a process of its own. Takes the name of the transport, that of the server, and the file of the generated
 * methods. It sends its port when it listens.
 */
import { servers, type TransportName } from './transport-servers.js'

const [transport = '', name = '', methodsFile = ''] = process.argv.slice(2)
const { methods } = await import(methodsFile)
const start = (servers[transport as TransportName] as Readonly<Record<string, typeof servers.http.ours>>)[
  name
]
if (start === undefined) throw new Error(`no server ${name}`)
const port = await start(methods)
process.send?.(port ?? null)
process.on('disconnect', () => process.exit(0))
