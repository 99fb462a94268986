// Written by `nemuri hook install --assistant opencode`. It hands prompts and replies to Nemuri, and gives the
// assistant what Nemuri remembers. A failing hook changes nothing.
import { spawn } from "node:child_process"

const NEMURI = $command

function call(hook, said) {
  return new Promise((resolve) => {
    const child = spawn(NEMURI[0], [...NEMURI.slice(1), hook, ...$options], { stdio: ["pipe", "pipe", "ignore"] })
    let text = ""
    child.stdout.on("data", (part) => { text += part })
    child.on("error", () => resolve(""))
    child.on("close", () => resolve(text))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(said))
  })
}

function context(answer) {
  try {
    return JSON.parse(answer).hookSpecificOutput.additionalContext
  } catch {
    return ""
  }
}

function words(parts) {
  const said = parts.filter((each) => each.type === "text" && !each.synthetic && !each.ignored)
  return said.map((each) => each.text).join("\n")
}

export const Nemuri = async ({ client, directory }) => {
  const started = new Map()
  const matching = new Map()
  const said = (sessionID) => ({ session_id: sessionID, cwd: directory })
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      if (!started.has(sessionID)) started.set(sessionID, context(await call("session-start", said(sessionID))))
      matching.set(sessionID, context(await call("prompt", { ...said(sessionID), prompt: words(parts) })))
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      for (const block of [started.get(sessionID), matching.get(sessionID)]) if (block) output.system.push(block)
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted") await call("pre-compact", said(event.properties.sessionID))
      if (event.type !== "session.idle") return
      const sessionID = event.properties.sessionID
      const { data } = await client.session.messages({ path: { id: sessionID } })
      const last = (data ?? []).findLastIndex((each) => each.info.role === "user")
      if (last < 0) return
      const answers = data.slice(last + 1).filter((each) => each.info.role === "assistant")
      const reply = answers.map((each) => words(each.parts)).filter(Boolean).join("\n\n")
      const turn = { prompt: words(data[last].parts), reply, turn_id: data[last].info.id }
      await call("turn", { ...said(sessionID), ...turn })
    },
  }
}
