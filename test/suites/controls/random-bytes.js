'use strict'

// A control: randomness, which OpenSSL keeps the state of in its secure heap. Nothing of ours.

require('node:crypto').randomUUID()
