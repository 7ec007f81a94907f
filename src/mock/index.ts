export { createMock, type Mock, type MockOptions, type ShownCall } from './create-mock.js'
