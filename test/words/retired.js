'use strict'

// The list of retired words, each with the word to use instead. A word that some folders still use has them under `exempt`.

/** @type {readonly { word: RegExp, use: string, exempt?: readonly string[] }[]} */
const RETIRED = Object.freeze([
  { word: /coalescer/i, use: 'single-flight' },
  { word: /numbered[- ]?states/i, use: 'versioned-file' },
  { word: /toWritten|WrittenPlaces?\b|written-(?:places|names)/, use: 'toOriginal, original position' },
  { word: /everyByTimer/, use: 'intervalByTimer' },
  { word: /sides-worker|loadSide\b/, use: 'base-snapshots-worker, loadBaseSnapshot' },
  { word: /(?:new|describe)Occasion|rules\/occasion\b/, use: 'firing' },
  { word: /createActing|rules\/acting\b|\bACTORS\b/, use: 'createActionRunner, run-actions, ACTION_HANDLERS' },
  { word: /findings\/(?:rules|words|spots)\b|HOT_RULES|findSpots\b/, use: 'findings/detectors, format-text, hot-spots' },
  { word: /\brule-words\b/, use: 'format-rule' },
  { word: /fault of ours/i, use: 'internal error' },
  { word: /utilisation/i, use: 'utilization', exempt: ['lib/api/pm2/', 'docs/pm2.md', 'test/pm2/', 'test/frameworks/'] }, // the name of a figure of PM2
  { word: /more to do than processors/i, use: 'CPU contention' },
  { word: /no rule found a loss/i, use: 'no significant problem found' },
  { word: /colour/i, use: 'color' },
  { word: /time at work/i, use: 'busy time' },
  { word: /\btell(?:Whole|Found)\b|\binWords\b|frames\/words\b/, use: 'describeCoverage, describeMatches, formatEvidence, frame-text' },
  { word: /noise of V8/i, use: 'V8 internals' },
  { word: /\b(?:say|told)-route\b|\b(?:sayRoute|createSayRoute|sayTemplate|giveTemplate|told(?:For|In|Of))\b/, use: 'set-route, setRoute, setRouteTemplate, setFramework, route facts' },
  { word: /\b(?:add|forget|hasShapeOf|to)Told\b|NOTHING_TOLD|\btold(?:Ms|Names|Url)\b/, use: 'report, reported, sent' },
  { word: /\bRawLook\b|\blooks(?:Of|Between)\b|\b(?:can|describe|note|on|add)Looks?\b|\blook(?:Now|Profile)\b|\bM(?:AX|IN)_LOOKS\b|toOriginalLooks/, use: 'stack probe: StackProbe, probesOf, canProbe' },
  { word: /\blabels\/(?:looking|knowledge|places)\b|\bnew (?:Looking|Knowledge)\b|\bLabeller\b/, use: 'probe-scheduler, function-routes, function-keys, Labeler' },
  { word: /\btoBlame\b|mayLooksTell|\bwhoHeld\b|seen-?culprit\b/i, use: 'acceptCulprit, canUseProbes, pickCulprit, culprit-from-stacks' },
  { word: /\bwhoAsks\b|\bworksForUs\b|\b(?:is|assert|without)Ours(?:Alone)?\b|\bwhyTaken\b|isOfSomebody/, use: 'requesterOf, isUsedByLoopscope, isLoopscope, isOwn…, profilerInUse' },
  { word: /\btell(?:Late|Where|Opened|Adopted|Mounted)\b|\bobeyReleases\b|\bnameRipe\b|RIPE_MICROS/, use: 'report, announce, log, releaseOnRequest, nameSettled' },
  { word: /\b(?:is|has)Door\b|\bdoor:|\.door\b|admin\/doors\b/, use: 'endpoint' },
  { word: /createLateLogger|late-logger|createFeed\b|egress\/feed\b|createTrouble\b|DrawnCalls?\b|\bclass Arming\b|\bseenWork\b/, use: 'createLazyLogger, periodic-upload, createOutageNotifier, PendingStacks, ServerStart, extendMoments' },
  { word: /\boccasion:/, use: 'firing' },
  {
    word: /\b(?:test|describe|it)\((['"`])(?:(?!\1,).)*\b(?:told|ours|whoever)\b/, // in the title of a test
    use: 'reported, shown, distinguished, loopscope\'s, the caller',
    exempt: ['test/findings/', 'test/frameworks/', 'test/heap/naming.test.js', 'test/memory/', 'test/waits/']
  }
])

module.exports = { RETIRED }
