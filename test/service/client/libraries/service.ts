import t from 'tap'
import { startService } from '../../../support/service.js'

/** The service of the files in this folder. */
export const service = await startService()
t.teardown(() => service.stop())
