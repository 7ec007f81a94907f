import './child-guard.js'

/**
 * Imported for its side effect by everything that starts processes. tap makes every child process load a module that
 * records loaded files, in a thread with source maps. That doubles the start of the command line, and these tests do
 * not use the record. Child processes are not measured for coverage, which would take a quarter of the time of a short one.
 */
delete process.env['NODE_V8_COVERAGE']
const noting = /"?--import=\S*@tapjs\/processinfo\S*/g
const options = (process.env['NODE_OPTIONS'] ?? '').replaceAll(noting, '').trim()
if (options === '') delete process.env['NODE_OPTIONS']
else process.env['NODE_OPTIONS'] = options

/** Properties that `process-on-spawn`, used by tap, sets on the functions that start a process. */
type Wrapped = { readonly unwrap: () => void } | undefined
const wrapped = (globalThis as { [name: symbol]: unknown })[Symbol.for('process-on-spawn@*:singletonId')]
;(wrapped as Wrapped)?.unwrap()
