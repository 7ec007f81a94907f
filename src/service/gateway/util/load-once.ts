import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onceMade } from './once-made.js'

/** Files that the process must be able to open before a module is imported. */
const freeFiles = 64

/**
 * Returns a function that imports a module at its first call. It is for modules that only some processes use. After a
 * failure, the next call imports again. Node 20 caches a failed import for the life of the process, so the module is
 * not imported while the process cannot open files, for example because of too many connections.
 * @param load imports the module
 * @returns a function that rejects with the system's error (`EMFILE`, `ENFILE`) if fewer than 64 files can be opened
 */
export const loadOnce = <Module>(load: () => Promise<Module>): (() => Promise<Module>) =>
  onceMade<void, Module>(async () => {
    requireFiles()
    return load()
  })

function requireFiles(): void {
  const own = fileURLToPath(import.meta.url)
  const opened: number[] = []
  try {
    while (opened.length < freeFiles) opened.push(openSync(own, 'r'))
  } finally {
    for (const file of opened) closeSync(file)
  }
}
