// Checkrail for OpenCode: asks the hook before each tool call and throws where it does not pass. Whatever fails, throws.
import { spawn } from "node:child_process"

const COMMAND = ["checkrail-hook"] // `checkrail install` writes this line into the installed copy
const LIMIT_MS = 12000

const ask = (event, told) =>
  new Promise((pass, stop) => {
    const hook = spawn(COMMAND[0], [...COMMAND.slice(1), "--agent", "opencode", "--event", event], { stdio: ["pipe", "ignore", "pipe"] })
    const timer = setTimeout(() => { hook.kill("SIGKILL"); stop(new Error("checkrail: blocked: the hook did not answer; run: checkrail doctor")) }, LIMIT_MS)
    let said = ""
    const end = (error) => { clearTimeout(timer); error ? stop(error) : pass() }
    hook.on("error", (error) => end(new Error(`checkrail: blocked: the hook does not run (${error.message}); run: checkrail doctor`)))
    hook.stderr.on("data", (part) => { said += part })
    hook.on("close", (code) => end(code === 0 ? null : new Error(said.trim() || "checkrail: blocked; run: checkrail doctor")))
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify({ event, ...told }))
  })

export const Checkrail = async ({ directory, worktree }) => {
  const place = { directory, worktree: worktree && worktree !== "/" ? worktree : directory }
  return {
    "tool.execute.before": async (input, output) => {
      await ask("pre", { tool: input.tool, sessionID: input.sessionID, callID: input.callID, args: output.args, ...place })
    },
    "tool.execute.after": async (input, output) => {
      const told = { tool: input.tool, sessionID: input.sessionID, callID: input.callID, args: input.args ?? {}, ...place }
      await ask("post", { ...told, output: String(output?.output ?? "").slice(0, 200000) }).catch(() => {})
    },
    event: async ({ event }) => {
      if (event.type !== "session.created") return
      const info = event.properties?.info
      await ask("session", { sessionID: info?.id ?? "", parentID: info?.parentID ?? "", ...place }).catch(() => {})
    },
  }
}
