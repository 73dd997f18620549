'use strict'

// pm2 start ecosystem.config.js: as many workers as processors, each with diagnostics of its own.

module.exports = {
  apps: [{
    name: 'api',
    script: './app.js',
    instances: 'max',
    exec_mode: 'cluster',
    node_args: '--require loopscope/register', // not needed where the code has app.use(diagnostics())
    kill_timeout: 5000, // PM2 kills after 1600 ms, which may be in the middle of a stall or of writing a capture
    env: {
      LOOPSCOPE_APP_NAME: 'api',
      LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:6060', // worker 0 listens on it, worker 1 on 6061, …
      LOOPSCOPE_TOKEN_FILE: '/etc/api/loopscope-token'
    }
  }]
}
