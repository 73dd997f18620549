'use strict'

// A request starts a job of ten milliseconds, and looks every 150 whether it is done.

function untilDone (job) {
  return new Promise(resolve => {
    const timer = setInterval(() => {
      if (!job.isDone) return
      clearInterval(timer)
      resolve(job.result)
    }, 150)
  })
}

function startJob () {
  const job = { isDone: false, result: 0 }
  setTimeout(() => { job.isDone = true }, 10)
  return job
}

module.exports = async function report (request, response) {
  const result = await untilDone(startJob()) // the wait
  response.end(String(result))
}
