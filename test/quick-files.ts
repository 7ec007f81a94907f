/**
 * Files of `test/service` that `npm test` runs. All others belong to `npm run test:system`. A file that is added here
 * is short, and proves what a user of the project relies on first.
 */
export const quickFiles: readonly string[] = [
  'test/service/envelope.test.ts',
  'test/service/methods.test.ts',
  'test/service/keys-live.test.ts',
]
