# The tables of benchmarks/growth in Markdown: slopes, weak and strong scaling, isoefficiency.
# $measured, $simulated: the results.

def row: "| " + join(" | ") + " |";
def table(head): (head | row), (head | map("---") | row), (.[] | map(tostring) | row);
def digits(count): if . == null then "–" else
  . as $x | if $x == 0 then 0 else
    pow(10; count - 1 - ($x | fabs | log10 | floor)) as $scale | ($x * $scale | round) / $scale end end;

# The slope of log y against log x, by least squares; null for fewer than two points.
def slope: map([(.[0] | log), (.[1] | log)]) | length as $count
  | (map(.[0]) | add / $count) as $x | (map(.[1]) | add / $count) as $y
  | (map((.[0] - $x) * (.[0] - $x)) | add) as $spread
  | if $spread == 0 then null else (map((.[0] - $x) * (.[1] - $y)) | add) / $spread end;

# The x at which a rising quantity reaches `level', interpolated by log x; null if it does not, "<
# least" if the first point is above.
def crossing(level): sort_by(.[0]) as $points
  | if $points[0][1] >= level then "< \($points[0][0])"
    else first(range(1; $points | length) as $i
      | select($points[$i][1] >= level)
      | $points[$i - 1] as $a | $points[$i] as $b
      | (($a[0] | log) + (level - $a[1]) / ($b[1] - $a[1]) * (($b[0] | log) - ($a[0] | log)))
      | exp | round) // "> \($points[-1][0])" end;

def measured_slopes: $measured | group_by([.key[0], .key[1]])
  | map([.[0].key[0], .[0].key[1], (map(.n) | min), (map(.n) | max),
         (map([.n, .seconds]) | slope | digits(3)), (map([.n, .memory]) | slope | digits(3)),
         (max_by(.n) | .seconds | digits(3)), (max_by(.n) | .memory / 1048576 | digits(3))])
  | table(["operation", "ranks", "n from", "to", "time ~ n^", "memory ~ n^", "seconds at the last",
           "MiB a rank"]);

def dims_of: map(.key[2]) | unique;

def weak(machine): $simulated | map(select(.key[0] == machine)) as $runs
  | ($runs | dims_of) as $dims
  | $runs | group_by([.key[1], .key[3]])
  | map([.[0].key[1], .[0].key[3]]
        + (. as $group | $dims | map(. as $d | first($group[] | select(.key[2] == $d) | .fraction)
                                              // null | digits(3))))
  | table(["operation", "n / sqrt(nodes)"] + ($dims | map(pow(2; .) | tostring)));

def strong(machine): $simulated | map(select(.key[0] == machine)) as $runs
  | ($runs | dims_of) as $dims
  | $runs | group_by([.key[1], .n]) | map(select(length >= 4))
  | map([.[0].key[1], .[0].n]
        + (. as $group | $dims | map(. as $d | first($group[] | select(.key[2] == $d) | .seconds)
                                              // null | digits(3))))
  | table(["operation", "n"] + ($dims | map(pow(2; .) | tostring)));

def isoefficiency(machine): $simulated | map(select(.key[0] == machine)) as $runs
  | ($runs | dims_of | map(select(. > 0))) as $dims
  | $runs | map(select(.key[2] > 0)) | group_by(.key[1])
  | map(. as $group | (0.5, 0.8, 0.9) as $level
        | [.[0].key[1], $level]
          + ($dims | map(. as $d | $group | map(select(.key[2] == $d) | [.key[3], .fraction])
                         | if length == 0 then "–" else crossing($level) end)))
  | table(["operation", "efficiency"] + ($dims | map(pow(2; .) | tostring)));

(if $measured == [] then empty else "Growth with n, measured:", "", measured_slopes, "" end),
($simulated | map(.key[0]) | unique | .[] as $machine
 | "Machine \($machine): fraction of nodes x peak at constant memory a node, by nodes", "",
   weak($machine), "",
   ([strong($machine)] | if length < 3 then empty
    else "Machine \($machine): seconds at constant n, by nodes", "", .[], "" end),
   "Machine \($machine): n / sqrt(nodes) at which the efficiency is reached, by nodes", "",
   isoefficiency($machine), "")
