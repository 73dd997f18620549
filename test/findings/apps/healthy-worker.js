'use strict'

// No requests to speak of: a queue worker that looks for jobs.
const jobs = []
setInterval(() => {
  for (let job = 0; job < 20; job++) jobs.push({ id: job, text: `job ${job}` })
  while (jobs.length > 0) JSON.parse(JSON.stringify(jobs.pop()))
}, 100)

module.exports = (request, response) => response.end('ok')
