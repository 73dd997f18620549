'use strict'

// Finds where the control groups of this process are mounted, from the text of /proc. Pure: it reads no file.

const path = require('node:path')

/**
 * @param {string} controller  such as 'memory'
 * @param {string} membership  /proc/self/cgroup
 * @param {string} mounts      /proc/self/mountinfo
 * @returns {string[]} the group's folder and those above it that can be seen from here, innermost first
 */
function groupFolders (controller, membership, mounts) {
  const groups = parseMembership(membership)
  return parseMounts(mounts).flatMap(mount => {
    const group = groups.find(({ controllers }) => isOf(mount, controller, controllers))
    return group === undefined ? [] : upFrom(mount, group.path)
  })
}

/** @param {string} membership */
function parseMembership (membership) {
  // "id:controllers:path", and a path may hold colons, see cgroups(7)
  return membership.split('\n').map(line => line.split(':')).filter(fields => fields.length >= 3)
    .map(([, controllers, ...rest]) => ({ controllers: controllers.split(','), path: rest.join(':') }))
}

/**
 * @param {{ type: string, options: string[] }} mount
 * @param {string} controller
 * @param {string[]} controllers  of a group; version 2 names none
 */
function isOf ({ type, options }, controller, controllers) {
  if (type === 'cgroup2') return controllers[0] === ''
  return type === 'cgroup' && options.includes(controller) && controllers.includes(controller)
}

/** @param {string} mounts */
function parseMounts (mounts) {
  return mounts.split('\n').filter(line => line.includes(' - ')).map(line => {
    // "id parent major:minor root mountpoint options... - type source superoptions", see proc(5)
    const [before, after] = line.split(' - ')
    const [, , , root, mountPoint] = before.split(' ')
    const [type, , options = ''] = after.split(' ')
    return { root, mountPoint, type, options: options.split(',') }
  })
}

/** @param {{ root: string, mountPoint: string }} mount @param {string} memberPath */
function upFrom ({ root, mountPoint }, memberPath) {
  // In a container the mount shows only the part of the hierarchy below `root`.
  const below = memberPath === root ? '' : root !== '/' && memberPath.startsWith(`${root}/`) ? memberPath.slice(root.length) : memberPath
  const folders = []
  for (let folder = path.posix.join(mountPoint, below); folder.startsWith(mountPoint); folder = path.posix.dirname(folder)) {
    folders.push(folder)
    if (folder === mountPoint) break
  }
  return folders
}

module.exports = { groupFolders }
