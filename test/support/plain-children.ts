/**
 * Imported for what it does, by whatever starts processes. tap has every process that a test starts, and all that those
 * start, load a module which notes each file that is loaded, in a thread of its own and with source maps: that doubles
 * what a start of the command line costs, and nothing here reads the notes. Coverage is c8's, by NODE_V8_COVERAGE.
 */
const noting = /"?--import=\S*@tapjs\/processinfo\S*/g
const options = (process.env['NODE_OPTIONS'] ?? '').replaceAll(noting, '').trim()
if (options === '') delete process.env['NODE_OPTIONS']
else process.env['NODE_OPTIONS'] = options

/** What `process-on-spawn`, by which tap does it, has put in place of the functions that start a process. */
type Wrapped = { readonly unwrap: () => void } | undefined
const wrapped = (globalThis as { [name: symbol]: unknown })[Symbol.for('process-on-spawn@*:singletonId')]
;(wrapped as Wrapped)?.unwrap()
