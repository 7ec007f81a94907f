// Loaded into the watched process (`--import`). It appends what is not visible from outside to the file of the variable
// FUZZ_WATCH, one JSON object a line. These are each error that ends the process, and each new longest block of the
// event loop, in milliseconds of processor time of the main thread. It changes nothing in the program.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const file = process.env.FUZZ_WATCH
/** Milliseconds between two looks. A block is measured to this precision. */
const interval = 5
/** Blocks below this are not reported. */
const leastBlock = 15

/** Processor time of the main thread, in milliseconds (Linux, proc(5): schedstat). */
const threadTime = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
const report = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`)

// Child processes inherit the options, and are not watched.
if (file !== undefined && process.argv[1]?.endsWith('concordat.js')) {
  let longest = leastBlock
  let before
  const look = () => {
    const now = threadTime()
    const block = now - (before ?? now)
    before = now
    if (block <= longest) return
    longest = block
    report({ block: Math.round(block) })
  }
  // The start of the program is one long block.
  const readyFile = process.argv[process.argv.indexOf('--ready-file') + 1]
  const waiting = setInterval(() => {
    if (!existsSync(readyFile)) return
    clearInterval(waiting)
    setInterval(look, interval).unref()
  }, 100).unref()
  process.on('uncaughtExceptionMonitor', (error, origin) =>
    report({ origin, error: String(error?.stack ?? error) }),
  )
}
