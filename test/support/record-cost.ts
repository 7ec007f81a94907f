/**
 * Loaded before each test file. With `TEST_COSTS`, the name of a file, it adds a line with the processor time of the
 * test file, for `test/run.ts --costs`.
 */
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { processorTime } from './processor-time.js'

const [, test = ''] = process.argv
const file = process.env['TEST_COSTS']
if (file !== undefined && isMainThread && test.endsWith('.test.ts'))
  process.on('exit', () => appendFileSync(file, `${processorTime().toFixed(1)} ${relative('.', test)}\n`))
