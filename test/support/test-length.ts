/** True in `npm run test:long`, which sets `TEST_LENGTH=long` and runs the long form of each test. */
export const isLong = process.env['TEST_LENGTH'] === 'long'
