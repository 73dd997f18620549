'use strict'

// A control: prom-client, which requires node:zlib for its push gateway. Nothing of ours.

require('prom-client')
