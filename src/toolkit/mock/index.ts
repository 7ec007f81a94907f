export { createMock, type Mock, mockDefaults, type ShownCall } from './create-mock.js'
