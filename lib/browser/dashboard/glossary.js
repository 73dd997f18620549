/* global document, loopscope */
'use strict'

// What the words of the page mean, where they are used: each opens with a click, a tap or a key.

loopscope.glossary = (() => {
  const { element } = loopscope.display

  const WORDS = {
    severity: ['Critical, warning, note', 'Critical: a quarter of the time or more is lost to it, or the process is about to die. Warning: worth a change. Note: good to know.'],
    confidence: ['Confidence', 'How sure the finding is: high where many samples or whole stalls say the same, low where little was seen.'],
    'lost-time': ['Lost time', 'Time in which the event loop, or for some findings the requests, could not go on. Findings are ranked by it.'],
    delay: ['Delay', 'How late the event loop was: a timer should have fired, and code that ran just then made it wait. Every request waits as long. p99 is the delay that 99 of 100 timers did not exceed.'],
    stall: ['Stall', 'A delay so long that it is reported: 100 ms or more, unless option stallThresholdMs says otherwise.'],
    utilization: ['Utilization', 'The part of the time in which the event loop was at work rather than waiting for something to happen. 100 % leaves no room; a high value alone is not lateness.'],
    recorder: ['Recorder', 'A CPU profiler that runs all the time and keeps the last minute. A flame graph can be cut from any stretch of it, after the fact.'],
    mark: ['Mark', 'A moment that the application named, such as a deployment.'],
    cause: ['Cause', 'Why the loop was late. code: JavaScript or a native call ran. gc: the garbage collector. starved: the system gave the process no processor. suspended: the whole process stood still. unknown: the evidence does not say.'],
    culprit: ['Culprit', 'The function of your own code in which most of the stall was spent, and what it called there.'],
    route: ['Route', 'The method and the template of the path for which the code ran. Outside requests there is none: timers, messages, start-up.'],
    'blocked-time': ['Blocked time', 'How long stalls of this route have held the loop, in all. Requests of every other route waited meanwhile.'],
    'sync-call': ['Synchronous call', 'A call that holds the event loop until it is done: fs.readFileSync, crypto.pbkdf2Sync. ⚑ marks those that cost more than 5 % of the time at work.'],
    'thread-busy': ['Busy thread', 'A worker thread is busy while its samples see code or the collector run. Threads are there to be busy: what they do is in no figure of the event loop.'],
    'thread-stall': ['Stall of a thread', 'A time of at least the stall threshold in which the thread was at work without a pause. Of a thread that computes this is no fault.'],
    sampled: ['Sampled, or counted', 'Sampled: estimated from the profiler, which looks a hundred times a second. Counted: each call was seen.'],
    own: ['Its own code', 'Time in which the code of the request itself held the loop.'],
    behind: ['Behind', 'Time in which the request had to wait because other work held the loop, and whose work that was.'],
    gc: ['Garbage collection', 'V8 frees memory that is not used any more; code stands still for parts of it.'],
    waiting: ['Waiting', 'The request waited for something else than the loop: a database, another service, a file.'],
    rss: ['RSS', 'Resident set size: the memory that the process has of the machine.'],
    heap: ['Heap', 'Where V8 keeps JavaScript objects. New ones begin in the new space; what survives moves to the old one.'],
    external: ['External', 'Memory outside of the heap that objects hold: buffers, and what native code keeps for them.'],
    capture: ['Capture', 'One request to record something: a CPU profile, or a look at the heap.'],
    artifact: ['Artifact', 'The file that came of a capture. It lies in a folder of this user that is limited in number, size and age.']
  }

  function explain (name) {
    const [title, text] = WORDS[name]
    return element('details', { className: 'word' }, element('summary', {}, title), element('p', {}, text))
  }

  function start () {
    for (const holder of document.querySelectorAll('[data-words]')) {
      holder.className = 'words'
      holder.append(element('span', {}, 'What is:'), ...holder.dataset.words.split(' ').map(explain))
    }
  }

  return { start }
})()
