-- What a user of Neovim sees, asked for through Neovim's own functions: diagnostics, inlay hints, the hover's window, a quick fix.
-- nvim --headless -u init.lua -l check.lua FILE    (init.lua: the snippet of docs/editors/neovim.md; FILE: forgotten.py of ../sample)
local TIMEOUT = 60000 -- milliseconds; a loaded machine may need seconds for the server's first answer

local file = assert(arg[1], 'which file?')

--- Waits until `condition` answers something true, and returns that.
local function wait_for(what, condition)
  local found
  local in_time = vim.wait(TIMEOUT, function()
    found = condition()
    return found
  end, 20)
  assert(in_time, 'waited in vain for ' .. what)
  return found
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n')
end

--- Puts the cursor on the first occurrence of `text` in the buffer.
local function go_to(buffer, text)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      vim.api.nvim_win_set_cursor(0, { row, column - 1 })
      return
    end
  end
  error('the sample has no ' .. text)
end

local function check_contains(what, text, part)
  assert(text:find(part, 1, true), ('%s lacks %q:\n%s'):format(what, part, text))
end

--- The one diagnostic with this code, or nil.
local function diagnostic(buffer, code)
  local found = vim.tbl_filter(function(d)
    return d.code == code
  end, vim.diagnostic.get(buffer))
  assert(#found < 2, 'more than one ' .. code)
  return found[1]
end

--- The labels of the buffer's inlay hints, one a line.
local function hints(buffer)
  return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buffer })):map(function(each)
    local label = each.inlay_hint.label
    if type(label) == 'string' then
      return label
    end
    return vim.iter(label):map(function(part)
      return part.value
    end):join('')
  end):join('\n')
end

local function floating_window()
  return vim.iter(vim.api.nvim_list_wins()):find(function(window)
    return vim.api.nvim_win_get_config(window).relative ~= ''
  end)
end

local function check_diagnostic(buffer)
  local found = wait_for('the diagnostic', function()
    return diagnostic(buffer, 'shape-matmul')
  end)
  assert(vim.api.nvim_buf_get_lines(buffer, found.lnum, found.lnum + 1, false)[1]:sub(found.col + 1, found.end_col) == 'q @ k')
  assert(found.severity == vim.diagnostic.severity.ERROR)
  check_contains('the message', found.message, '(4, 8, 32, 64)')
end

local function check_hover(buffer)
  go_to(buffer, 'softmax')
  vim.lsp.buf.hover()
  local window = wait_for('the window of the hover', floating_window)
  local text = text_of(vim.api.nvim_win_get_buf(window))
  check_contains('the hover', text:lower(), 'softmax')
  check_contains('the hover', text, 'sum')
  check_contains('the hover', text, '(4, 8, 32, 32)')
  vim.api.nvim_win_close(window, true)
end

local function check_fix(buffer)
  go_to(buffer, 'q @ k')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == 'Turn the last two axes of k'
    end,
  })
  wait_for('the edit', function()
    return text_of(buffer):find('q @ k.transpose(-2, -1)', 1, true)
  end)
  wait_for('the diagnostic to go', function()
    return not diagnostic(buffer, 'shape-matmul')
  end)
end

local function check_hints(buffer)
  wait_for('the hint (4, 8, 32, 32) of the scores', function()
    return hints(buffer):find('(4, 8, 32, 32)', 1, true)
  end)
end

local function check_names(layer)
  vim.cmd.edit(layer)
  local buffer = vim.api.nvim_get_current_buf()
  for _, shape in ipairs({ '(B, 8, T, 64)', '(B, 8, T, T)', '(B, T, 512)' }) do
    wait_for('the hint ' .. shape, function()
      return hints(buffer):find(shape, 1, true)
    end)
  end
  assert(#vim.diagnostic.get(buffer) == 0, 'the layer is right, yet: ' .. vim.inspect(vim.diagnostic.get(buffer)))
end

vim.cmd.edit(file)
local buffer = vim.api.nvim_get_current_buf()
check_diagnostic(buffer)
check_fix(buffer)
check_hints(buffer)
check_hover(buffer)
check_names(vim.fs.joinpath(vim.fs.dirname(file), 'attention.py'))
print('all right')
