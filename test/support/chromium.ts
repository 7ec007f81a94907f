import { findTool } from './tools.js'

/** Switches that silence Chromium and stop its background requests. */
const switches = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Finds Chromium without its window, which takes half the processor time of the whole browser, or the whole one, and
 * the arguments to start it.
 */
export async function findChromium() {
  return { executablePath: await findTool('chromium'), args: switches }
}
