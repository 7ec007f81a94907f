// Loaded with `--import` into a service whose pages are compared with stored screenshots: its wall clock, which its threads
// share, stands still, and a SIGUSR2 moves it on by a minute.
import { syncBuiltinESMExports } from 'node:module'
import workerThreads from 'node:worker_threads'

const minute = 60_000
const clock =
  workerThreads.getEnvironmentData('clock') ??
  new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))
if (workerThreads.isMainThread) {
  clock[0] = Date.parse(process.env['FIXED_CLOCK'] ?? '')
  workerThreads.setEnvironmentData('clock', clock)
  workerThreads.Worker = class extends workerThreads.Worker {
    constructor(file, options) {
      super(file, { ...options, execArgv: ['--import', import.meta.url] })
    }
  }
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => {
    clock[0] += minute
  })
}
/** Records of the database that are made one after the other have different times, which orders them. */
const step = workerThreads.isMainThread ? 0 : 0.001
const now = () => {
  clock[0] += step
  return workerThreads.isMainThread ? Math.floor(clock[0]) : clock[0]
}
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})
