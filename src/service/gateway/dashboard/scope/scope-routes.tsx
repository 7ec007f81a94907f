import { page } from '../answer.js'
import type { Routes } from '../routes.js'
import { ScopePage } from './scope-page.js'

/** Adds the page that says what is left out. */
export function addScopeRoutes({ always }: Routes): void {
  always.get('/scope', () => page('What is left out', <ScopePage />))
}
