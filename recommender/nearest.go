package recommender

// Nearest returns the word that is most like a misspelt one, if any is near enough
// to have been meant.
func Nearest(misspelt string, words []string) (string, bool) {
	best, least := "", len(misspelt)/3+2
	for _, word := range words {
		if d := distance(misspelt, word); d < least {
			best, least = word, d
		}
	}
	return best, best != ""
}

// distance returns how many letters must be added, removed, replaced or swapped
// with their neighbour to turn a into b.
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
