'use strict'

// pm2 start ecosystem.config.js: one worker per CPU, each with its own loopscope.

module.exports = {
  apps: [{
    name: 'api',
    script: './app.js',
    instances: 'max',
    exec_mode: 'cluster',
    node_args: '--require loopscope/register', // not needed if the code has app.use(diagnostics())
    kill_timeout: 5000, // PM2's default of 1600 ms can be too short: a stall or the writing of a capture may take longer
    env: {
      LOOPSCOPE_APP_NAME: 'api',
      LOOPSCOPE_ADMIN_LISTEN: '127.0.0.1:6060', // worker 0 listens on it, worker 1 on 6061, …
      LOOPSCOPE_TOKEN_FILE: '/etc/api/loopscope-token'
    }
  }]
}
