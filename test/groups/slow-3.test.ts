import { importSlow } from './import-group.js'

await importSlow(3)
