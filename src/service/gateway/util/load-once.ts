import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onceMade } from './once-made.js'

/** Files that must be free before a module is loaded. */
const freeFiles = 64

/**
 * Returns a function that loads a module at its first call, for modules that few processes need. A failure is not kept:
 * the next call tries again. Node 20 itself keeps a failed import for as long as the process lives, so none is tried
 * while the process can open no more files, for example because too many connections are open.
 * @param load imports the module
 * @returns rejects with the system's error (`EMFILE`, `ENFILE`) while files are lacking
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
