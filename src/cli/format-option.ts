import { oneOf } from './define-command.js'

const formats = ['text', 'json', 'markdown', 'sarif', 'github'] as const

/** An output format of `lint` and `diff`. */
export type OutputFormat = (typeof formats)[number]

/** The option of `lint` and `diff` for output formats. */
export const formatOption = [
  '--format <NAME>',
  'text (default), json, markdown, sarif (code scanning), or github (annotations)',
  oneOf(...formats),
] as const
