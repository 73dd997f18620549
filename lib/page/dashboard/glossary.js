/* global document, loopscope */
'use strict'

// Explains the terms of the page below the section that uses them; each opens with a click, a tap or a key.

loopscope.glossary = (() => {
  const { element } = loopscope.display

  const TERMS = {
    severity: ['Critical, warning, note', 'Critical: costs a quarter of the time or more, or the process is about to crash. Warning: worth fixing. Note: for information.'],
    confidence: ['Confidence', 'How certain the finding is: high if many samples or whole stalls support it, low if there was little data.'],
    'lost-time': ['Lost time', 'Time for which the event loop, or for some findings the requests, could not continue. Findings are ranked by it.'],
    delay: ['Delay', 'How late timers of the event loop fire because other code is running. Requests have to wait as long. p99: 99 % of timers were at most this late.'],
    stall: ['Stall', 'A delay long enough to be reported: 100 ms or more by default (option stallThresholdMs).'],
    utilization: ['Utilization', 'The share of time in which the event loop was busy rather than waiting for events. At 100 % there is no headroom; a high value alone does not mean that the loop is late.'],
    recorder: ['Recorder', 'A CPU profiler that runs all the time and keeps the last minute. You can get a flame graph of any part of that minute afterwards.'],
    mark: ['Mark', 'A label that the application set for a point in time, such as a deployment.'],
    cause: ['Cause', 'Why the loop was late. code: JavaScript or a native call ran. gc: garbage collection. starved: no CPU time available. suspended: the whole process was stopped. unknown: not enough evidence.'],
    culprit: ['Culprit', 'The function of your own code in which most of the stall was spent, and what it called.'],
    route: ['Route', 'The HTTP method and path template of the request that the code ran for. Timers, messages and start-up code run outside requests and have no route.'],
    'blocked-time': ['Blocked time', 'How long stalls of this route blocked the event loop, in total. Requests of all other routes had to wait.'],
    'sync-call': ['Synchronous call', 'A call that blocks the event loop until it is done, such as fs.readFileSync or crypto.pbkdf2Sync. ⚑ marks calls that take more than 5 % of the busy time.'],
    'thread-busy': ['Busy thread', 'The share of time in which a worker thread runs code or garbage collection, from profiler samples. Worker threads are meant to be busy; they do not count in the figures of the event loop.'],
    'thread-stall': ['Stall of a thread', 'A period of at least the stall threshold in which the thread was busy without a pause. For a thread that computes, this is normal.'],
    sampled: ['Sampled, counted', 'Sampled: estimated from the CPU profiler, which takes 100 samples per second. Counted: every call was recorded.'],
    'under-way': ['Under way', 'Requests that are not answered, and jobs that are not done; the oldest first.'],
    'waiting-call': ['No known call', 'The request waits for a timer, a file, a lock, or a library that does not report its calls.'],
    awaited: ['Awaited', 'The package, or the module of Node.js, whose promise the line awaits. Without one it is a promise of the application itself.'],
    'in-line': ['In line', 'What was awaited may have been ready, but the event loop was busy with other code. An upper bound.'],
    own: ['Own code', 'Time in which the code of the request itself was running.'],
    behind: ['Behind', 'Time in which the request waited because other code was running, and which code that was.'],
    gc: ['Garbage collection', 'V8 frees memory that is no longer used. JavaScript stops for parts of it.'],
    waiting: ['Waiting', 'The request waited for something other than the event loop: a database, another service, a file.'],
    rss: ['RSS', 'Resident set size: the physical memory that the process uses.'],
    heap: ['Heap', 'The memory in which V8 keeps JavaScript objects. New objects start in the new space; those that survive move to the old space.'],
    external: ['External', 'Memory outside the heap that JavaScript objects keep alive: buffers, and data of native code.'],
    capture: ['Capture', 'A recording made on request: a CPU profile, or data about the heap.'],
    artifact: ['Artifact', 'The file that a capture wrote. Artifacts are kept in a private directory, limited in number, size and age.']
  }

  function explain (name) {
    const [title, text] = TERMS[name]
    return element('details', { className: 'word' }, element('summary', {}, title), element('p', {}, text))
  }

  function start () {
    for (const holder of document.querySelectorAll('[data-terms]')) {
      holder.className = 'words'
      holder.append(element('span', {}, 'Terms:'), ...holder.dataset.terms.split(' ').map(explain))
    }
  }

  return { start }
})()
