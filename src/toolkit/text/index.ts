export { oneLine, plainText, printable, printableIn, printableJson, printableLines } from './printable.js'
