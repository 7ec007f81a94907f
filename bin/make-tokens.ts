/** Writes the tokens of the product's pages where reports and the reference find them; a part of `npm run generate`. */
import { writeFile } from 'node:fs/promises'
import { tokensFile, tokensModule } from './docs/site-style.js'

await writeFile(tokensFile, await tokensModule())
