import { importSlow } from './import-share.js'

await importSlow(3)
